"""What Sphinx is told. The source is the folder that `staging` makes."""

from __future__ import annotations

from conformance.version import VERSION

project = "toolcall-conformance"
version = release = VERSION
project_copyright = "toolcall-conformance's authors"
extensions = ["myst_parser", "sphinx_design"]
root_doc = "index"
source_suffix = {".md": "markdown"}
exclude_patterns = [".doctrees"]

myst_heading_anchors = 4
myst_enable_extensions = ["deflist", "colon_fence"]
suppress_warnings = ["toc.not_included", "myst.header", "misc.highlighting_failure"]
linkcheck_timeout = 20
linkcheck_workers = 8

highlight_language = "text"
"""A block that names no language is shown as it is."""
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme = "pydata_sphinx_theme"
html_title = f"toolcall-conformance {VERSION}"
html_theme_options = {
    "header_links_before_dropdown": 7,
    "collapse_navigation": True,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
}
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {page: [] for page in ("rules/*", "author", "recordings", "team", "publisher")}
"""The list of all rules would be on the page of each of them, and the readers' pages have none below them."""
