//! Agents: the only room that spells an agent's field names. Pure: text in, values out.

pub mod claude_code;
