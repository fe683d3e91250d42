//! Hooks as they are registered, or badly so.

use std::fs;
use std::path::Path;

use throughline_testkit::process;

use crate::scene::{BINARY, Scene};

#[test]
fn without_hooks_nothing_works_and_that_is_a_failure() {
    Scene::new().doctor().fails().says("hooks", "fail", "none is registered", "throughline init");
}

#[test]
fn a_binary_that_is_gone_is_a_failure() {
    let scene = Scene::new();
    let copy = scene.home.root().join("old/throughline");
    fs::create_dir(scene.home.root().join("old")).expect("a folder");
    process::copy_program(Path::new(BINARY), &copy);
    scene.home.run(&copy, &["init"], "").assert_success();
    scene.doctor().passes();
    fs::remove_file(&copy).expect("an uninstalled binary");
    let report = scene.doctor();
    report.fails().says("binary", "fail", "old/throughline, which does not exist", "throughline init");
    scene.ok(&["init"]);
    scene.doctor().passes().is_fine("binary");
}

#[test]
fn a_binary_that_cannot_be_started_is_a_failure() {
    let scene = Scene::at_work();
    let file = scene.home.write("throughline", "not a program");
    scene
        .edit_settings(|settings| settings["hooks"]["Stop"][0]["hooks"][0]["command"] = file.to_str().into());
    scene.doctor().fails().says("binary", "fail", "cannot be started", "chmod +x");
}

#[test]
fn another_version_in_the_settings_or_on_the_path_is_named() {
    let scene = Scene::at_work();
    let other = scene.program("throughline", "echo throughline 9.9.9");
    let report = scene.doctor();
    report.passes().says("binary", "warn", "is on the path as well, and says version 9.9.9", "one version");
    scene
        .edit_settings(|settings| settings["hooks"]["Stop"][0]["hooks"][0]["command"] = "throughline".into());
    scene.doctor().passes().says("binary", "warn", "is what the hooks call, and says version 9.9.9", "init");
    fs::write(other, "#!/bin/sh\nsleep 600\n").expect("a script");
    scene.doctor().passes().says("binary", "warn", "does not tell its version within 2 s", "");
}

#[test]
fn missing_events_and_long_timeouts_are_named() {
    let scene = Scene::at_work();
    scene.edit_settings(|settings| {
        settings["hooks"].as_object_mut().expect("hooks").remove("PreCompact");
        settings["hooks"]["Stop"][0]["hooks"][0]["timeout"] = 600.into();
        settings["hooks"]["SessionEnd"][0]["hooks"][0].as_object_mut().expect("a hook").remove("timeout");
    });
    let report = scene.doctor();
    report.passes().says("hooks", "warn", "not registered: PreCompact", "`throughline init` again");
    report.says("timeouts", "warn", "Stop 600 s instead of 5 s", "`throughline init` again");
    report.says("timeouts", "warn", "SessionEnd none instead of 2 s", "");
    scene.ok(&["init"]);
    scene.doctor().is_fine("hooks").is_fine("timeouts");
}

#[test]
fn hooks_that_are_switched_off_are_a_failure() {
    let scene = Scene::at_work();
    scene.user_settings(r#"{"disableAllHooks": true}"#);
    scene.doctor().fails().says("hooks", "fail", "disableAllHooks", "false");
}

#[test]
fn settings_that_are_no_json_are_a_failure_with_the_place() {
    let scene = Scene::at_work();
    scene.user_settings("{\n  \"model\": \"opus\",\n}\n");
    let report = scene.doctor();
    report.fails().says(
        "settings",
        "fail",
        "settings.json, line 3, column 1: not valid JSON",
        "remove the comma",
    );
    scene.user_settings(r#"{"cleanupPeriodDays": "soon"}"#);
    scene.doctor().passes().says("settings", "warn", "\"cleanupPeriodDays\" is not a number", "by hand");
}

#[test]
fn plugin_and_settings_together_are_one_too_many() {
    let scene = Scene::at_work();
    scene.user_settings(r#"{"enabledPlugins": {"throughline@throughline": true}}"#);
    let report = scene.doctor();
    report.passes().says(
        "plugin",
        "warn",
        "the second call does nothing",
        "`throughline uninstall` keeps the plugin",
    );
    report.says("plugin", "warn", "", "claude plugin uninstall throughline@throughline");
    scene.ok(&["uninstall"]);
    scene.doctor().passes().is_fine("plugin").says("hooks", "ok", "brought by the plugin", "");
}

#[test]
fn different_commands_in_two_files_are_named() {
    let scene = Scene::at_work();
    let file = scene.program("throughline", "exec true");
    let hook = format!(
        r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{} hook", "timeout": 5}}]}}]}}}}"#,
        file.display()
    );
    scene.user_settings(&hook);
    scene.doctor().says(
        "hooks",
        "warn",
        "for Stop: each event is done twice",
        "throughline uninstall --user",
    );
}
