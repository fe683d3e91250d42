//! Permissions: whether the client lets a call of ours through without asking anybody, by the rules of its settings.

/// The rules of all settings files taken together. The client heeds them all; a refusal counts before a question, a
/// question before a permission.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// `permissions.allow`
    pub allow: Vec<String>,
    /// `permissions.ask`
    pub ask: Vec<String>,
    /// `permissions.deny`
    pub deny: Vec<String>,
}

/// What the rules say of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Allowed,
    /// Somebody is asked, unless the session's mode asks nobody.
    Asks,
    /// It never runs.
    Denied,
}

impl Permissions {
    /// What they say of a command line.
    #[must_use]
    pub fn of_command(&self, command: &str) -> Verdict {
        self.verdict(|rule| fits_command(rule, command))
    }

    /// What they say of a server's tool, by its whole name.
    #[must_use]
    pub fn of_tool(&self, tool: &str) -> Verdict {
        self.verdict(|rule| fits_tool(rule, tool))
    }

    fn verdict(&self, fits: impl Fn(&str) -> bool) -> Verdict {
        let any = |rules: &[String]| rules.iter().any(|rule| fits(rule.trim()));
        if any(&self.deny) {
            Verdict::Denied
        } else if any(&self.allow) && !any(&self.ask) {
            Verdict::Allowed
        } else {
            Verdict::Asks
        }
    }
}

/// `Bash`, `Bash(*)`, `Bash(git status)`, `Bash(git:*)`, `Bash(git *)`.
fn fits_command(rule: &str, command: &str) -> bool {
    if matches!(rule, "Bash" | "*") {
        return true;
    }
    let Some(pattern) = rule.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    if let Some(begin) = pattern.strip_suffix(":*") {
        let rest = command.strip_prefix(begin);
        return rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    }
    fits_stars(pattern, command)
}

/// `mcp__server`, `mcp__server__*`, `mcp__server__tool`.
fn fits_tool(rule: &str, tool: &str) -> bool {
    let is_server = tool.rsplit_once("__").is_some_and(|(server, _)| server == rule);
    is_server || fits_stars(rule, tool)
}

/// Whether a text is what a pattern says, a star standing for anything.
fn fits_stars(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut is_open = false;
    for part in parts {
        is_open = part.is_empty();
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    is_open || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allow: &[&str], ask: &[&str], deny: &[&str]) -> Permissions {
        let owned = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect();
        Permissions { allow: owned(allow), ask: owned(ask), deny: owned(deny) }
    }

    #[test]
    fn a_command_is_let_through_by_the_rules_that_the_client_knows() {
        const CALL: &str = "throughline handover -";
        for (rule, allowed) in [
            ("Bash(throughline handover:*)", true),
            ("Bash(throughline:*)", true),
            ("Bash(throughline *)", true),
            ("Bash(throughline handover -)", true),
            ("Bash(*)", true),
            ("Bash", true),
            ("Bash(throughline hand:*)", false),
            ("Bash(throughline handover)", false),
            ("Bash(throughline add:*)", false),
            ("Read(throughline:*)", false),
            ("Bash(throughline:*", false),
        ] {
            let expected = if allowed { Verdict::Allowed } else { Verdict::Asks };
            assert_eq!(rules(&[rule], &[], &[]).of_command(CALL), expected, "{rule}");
        }
        assert_eq!(rules(&["Bash"], &[], &["Bash(throughline:*)"]).of_command(CALL), Verdict::Denied);
        assert_eq!(rules(&["Bash"], &["Bash(throughline:*)"], &[]).of_command(CALL), Verdict::Asks);
    }

    #[test]
    fn a_tool_is_let_through_by_its_name_or_its_servers() {
        const TOOL: &str = "mcp__throughline__hand_over";
        for (rule, allowed) in [
            (TOOL, true),
            ("mcp__throughline", true),
            ("mcp__throughline__*", true),
            ("mcp__throughline__recall", false),
            ("mcp__through", false),
            ("Bash", false),
        ] {
            let expected = if allowed { Verdict::Allowed } else { Verdict::Asks };
            assert_eq!(rules(&[rule], &[], &[]).of_tool(TOOL), expected, "{rule}");
        }
        assert_eq!(rules(&[TOOL], &[], &["mcp__throughline"]).of_tool(TOOL), Verdict::Denied);
    }
}
