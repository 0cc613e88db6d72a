extensions = []
