"""Nothing of a private folder, nor of an assignment's sources, gets into the site."""

import yaml
from rules.notebooks import ROOT


def test_the_site_is_built_of_the_contents_alone_and_leaves_private_folders_out():
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    assert config["only_build_toc_files"] is True
    assert {"private", "assignments"} <= {*config["exclude_patterns"]}
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    assert not [folder for folder in ("private", "assignments") if folder in contents]
