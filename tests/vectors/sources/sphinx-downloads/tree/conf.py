extensions = ['myst_parser']
