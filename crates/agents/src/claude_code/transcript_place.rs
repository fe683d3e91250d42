//! Where the client keeps transcripts: one folder per project, named after the project's path.

/// The folder of a project's transcripts, inside `projects` of the client's configuration folder.
///
/// ```
/// use throughline_agents::claude_code::transcript_place::folder_name;
/// assert_eq!(folder_name("/home/me/my.app"), "-home-me-my-app");
/// ```
#[must_use]
pub fn folder_name(project_path: &str) -> String {
    project_path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
