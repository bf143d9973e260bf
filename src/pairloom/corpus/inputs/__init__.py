"""Text that is not in plain files: columns of tables and data frames, and iterators that can be read only once.

    lines_of_file, json_rows, csv_rows   files of text -> values of some columns, row by row
    arrow_rows                           Parquet and Arrow files, Arrow tables -> the same
    frames                               pandas, polars, datasets, dictionaries of lists -> the same
    table                                any of these -> a `Table`, which can be read again
    texts, lists, sessions               a `Table` -> blocks of text; lists of words; the items of each session
    spooled                              an iterator -> sentences in a temporary file

Rows are read in batches, so a table may be larger than memory. Only sessions are kept in memory, since the rows of one
may be anywhere.
"""
