"""Who else is asked: names get addresses of their own, and who connects there is written down."""

from __future__ import annotations

import socket
import struct

import pytest

from conformance.sealed import outside
from conformance.sealed.outside import Outsiders, answer_to

ADDRESS, ADDRESS_OF_SIX = 1, 28


def query(name: str, kind: int = ADDRESS) -> bytes:
    """A query of the domain name system."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1)


def address_in(answer: bytes) -> str:
    """The address that an answer ends with."""
    return socket.inet_ntoa(answer[-4:])


def test_each_name_has_an_address_of_its_own() -> None:
    outsiders = Outsiders()
    names = [f"host-{number}.test" for number in range(600)]
    addresses = [address_in(answer_to(query(name), outsiders)) for name in names]
    assert len(set(addresses)) == len(names)
    assert all(address.startswith("127.1.") for address in addresses)
    for address in addresses:
        outsiders.connected(address, 443)
    assert {(one["host"], one["port"], one["times"]) for one in outsiders.documents()} == {
        (name, 443, 1) for name in names
    }


def test_a_name_that_is_only_asked_for_has_no_port() -> None:
    outsiders = Outsiders()
    answers = [answer_to(query("One.test"), outsiders), answer_to(query("one.test", ADDRESS_OF_SIX), outsiders)]
    assert [struct.unpack(">H", answer[6:8])[0] for answer in answers] == [1, 0]
    assert outsiders.documents() == [{"host": "one.test", "port": None, "times": 1}]


def test_names_beyond_the_limit_are_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "MAX_NAMES", 1)
    outsiders = Outsiders()
    first, second = (address_in(answer_to(query(name), outsiders)) for name in ("a.test", "b.test"))
    assert first != second
    outsiders.connected(second, 80)
    assert outsiders.documents() == [{"host": "a.test", "port": None, "times": 1}]


@pytest.mark.parametrize("said", [b"", b"\0" * 12, b"\0" * 12 + b"\x3f", query("a.test")[:-3]])
def test_what_is_no_query_gets_no_answer(said: bytes) -> None:
    with pytest.raises(ValueError, match="no query"):
        answer_to(said, Outsiders())
