# -*- coding: latin-1 -*-
# José
extensions = ['myst_parser']
