"""Text on object stores and web servers. Needs the extra `remote`.

    stores        an address -> a store of obstore and a path in it; what a failed request means
    listing       folders and globs -> addresses with sizes
    downloading   addresses -> temporary files

A corpus is read twice, so each file is copied to a temporary file first: it crosses the network once, and both readings
see the same bytes, whatever happens to the original meanwhile.
"""
