extensions = ['myst_parser']
exclude_patterns = ['_build', 'parts/*']
