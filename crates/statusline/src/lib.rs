//! The status line: values in, lines out: segments, presets, widths, colours. Pure.
