//! Requests as they become Chat Completions requests: one text file for each.
