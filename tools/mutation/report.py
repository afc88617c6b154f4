from mutation.shadow import Target
def write(targets: list[Target]) -> None:
    pass
