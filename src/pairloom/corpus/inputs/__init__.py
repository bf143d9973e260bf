"""Text that is not in plain files: columns of tables and data frames, and iterators that can be read only once.

    json_rows, csv_rows (by lines_of_file), arrow_rows, frames   files and objects -> batches of rows (row_batch)
    row_source                                                   any of these -> rows that can be read again
    sentences_of                                                 rows -> text, lists of words, or items of sessions
    spooled                                                      an iterator -> sentences in a temporary file

Rows are read in batches, so a table may be larger than memory. Only sessions are kept in memory, since the rows of one
may be anywhere.
"""
