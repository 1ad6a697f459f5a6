"""Mistakes are exceptions with a place and help, and nothing runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import drivelab as dl


def test_an_unknown_name_comes_with_a_hint() -> None:
    with pytest.raises(dl.InputError) as caught:
        dl.test("mixd", on="p4510")
    assert "unknown method `mixd`" in caught.value.message
    assert "did you mean `mixed`" in (caught.value.help or "")


def test_a_missing_unit_is_no_guess() -> None:
    with pytest.raises(dl.InputError, match="a unit of the right kind is missing"):
        dl.test("mixed", on="p4510", read=70)


def test_a_mistake_in_a_file_has_its_place(tmp_path: Path) -> None:
    job = tmp_path / "wrong.fio"
    job.write_text("[a]\nrw=randread\nblocksiz=4k\n")
    with pytest.raises(dl.InputError) as caught:
        dl.run(job, on="p4510")
    assert (caught.value.file, caught.value.line) == (str(job), 3)


def test_it_is_a_value_error_too() -> None:
    with pytest.raises(ValueError, match="no drive of the library"):
        dl.Drive("no-such-drive").facts


def test_values_that_are_no_quantities() -> None:
    with pytest.raises(dl.InputError, match="`read` is"):
        dl.test("mixed", on="p4510", read=["70 %"])  # type: ignore[arg-type]
    with pytest.raises(dl.InputError, match="use choice"):
        dl.Space(qd=[1, 2])  # type: ignore[arg-type]


def test_nothing_of_a_real_target_is_written_without_consent(tmp_path: Path) -> None:
    file = tmp_path / "precious"
    file.write_bytes(b"x" * 8192)
    with pytest.raises(dl.DrivelabError):
        dl.test("corner", on=file, read="0 %")
    assert file.read_bytes() == b"x" * 8192


def test_an_error_survives_a_pickle() -> None:
    import pickle

    with pytest.raises(dl.InputError) as caught:
        dl.test("mixd", on="p4510")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (dl.InputError, str(caught.value))


def test_ray_that_is_missing_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModuleNotFoundError, match="pip install ray"):
        dl.ray_executor()


def test_help_speaks_of_arguments_and_not_of_options(tmp_path: Path) -> None:
    taken = tmp_path / "taken.toml"
    taken.write_text("")
    with pytest.raises(dl.DrivelabError) as caught:
        dl.fit("p4510-8tb", figures=taken, free="suspend.latency", output=taken)
    assert "--" not in str(caught.value)
    assert "`overwrite=`" in str(caught.value)
