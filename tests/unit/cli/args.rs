use super::help::{PAGES, Page};
use super::*;

#[test]
fn every_subcommand_has_a_page_and_every_flag_of_a_page_exists() {
    let command = command();
    for subcommand in command.get_subcommands() {
        assert!(Page::named(subcommand.get_name()).is_some());
    }
    for page in &*PAGES {
        let command = command.find_subcommand(&page.name).unwrap();
        for (flag, _) in &page.short {
            let mut flags = command.get_arguments();
            assert!(
                flags.any(|known| known.get_long().unwrap_or_default() == flag),
                "{}: --{flag}",
                page.name
            );
        }
    }
}

#[test]
fn examples_are_valid_command_lines() {
    for (line, _) in PAGES.iter().flat_map(|page| &page.examples) {
        let line = &line[line.find("uriscan").unwrap()..];
        let words: Vec<_> = line
            .split(' ')
            .map(|word| word.trim_matches('\''))
            .collect();
        if let Err(error) = command().try_get_matches_from(&words) {
            panic!("{line}: {error}");
        }
    }
}
