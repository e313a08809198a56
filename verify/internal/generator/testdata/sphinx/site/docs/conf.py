project = 'Site'
extensions = [
    'myst_parser',  # Markdown
]
myst_enable_extensions = ['attrs_inline', 'attrs_block', 'colon_fence']
myst_heading_anchors = 3
html_theme = 'basic'
