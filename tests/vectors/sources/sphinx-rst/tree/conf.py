# Configuration
extensions = [
    'myst_parser',  # Markdown
]
exclude_patterns = ['notes/*']
html_additional_pages = {'extra': 'extra.html'}
