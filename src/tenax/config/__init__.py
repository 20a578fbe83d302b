"""Every setting with its default, in sections; `loading` reads them from the file and the environment."""
