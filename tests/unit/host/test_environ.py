from __future__ import annotations

import os
from pathlib import Path

import pytest

from qtune.host.environ import child_environment, environment_differences, without_bundle_paths


def test_engine_gets_none_of_the_settings_it_would_read_behind_our_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    removed = ["LLAMA_ARG_DRAFT_MAX", "LLAMA_LOG_FILE", "LLAMA_API_KEY", "GGML_CUDA_ENABLE_UNIFIED_MEMORY"]
    kept = ["HF_TOKEN", "HF_HOME", "LLAMA_CACHE", "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "PATH"]
    for name in [*removed, *kept]:
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/home/somebody/.config")
    env = child_environment({"LLAMA_API_KEY": "secret"}, empty_config_dir=tmp_path)
    assert env["LLAMA_API_KEY"] == "secret"
    assert [name for name in removed if name in env] == ["LLAMA_API_KEY"]
    assert {env[name] for name in kept} == {"x"}
    assert env["APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME"] == str(tmp_path)
    assert env["GGML_NO_BACKTRACE"] == "1"
    differences = environment_differences(env)
    changed = {"XDG_CONFIG_HOME"} if os.name != "nt" else {"APPDATA", "PROGRAMDATA"}
    assert set(differences) == {*removed, *changed, "GGML_NO_BACKTRACE"}
    assert "secret" not in str(differences)


def test_frozen_build_gives_the_engine_back_the_users_libraries(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    path = os.pathsep.join([str(bundle / "bin"), "/usr/bin", ""])
    env = {"LD_LIBRARY_PATH": str(bundle), "LD_LIBRARY_PATH_ORIG": "/opt/rocm/lib", "PATH": path, "A": "1"}
    assert without_bundle_paths(env, bundle=str(bundle)) == {
        "LD_LIBRARY_PATH": "/opt/rocm/lib",
        "PATH": os.pathsep.join(["/usr/bin", ""]),
        "A": "1",
    }
    del env["LD_LIBRARY_PATH_ORIG"]
    assert "LD_LIBRARY_PATH" not in without_bundle_paths(env, bundle=str(bundle))
    assert without_bundle_paths(env) == env  # not frozen: nothing is touched
