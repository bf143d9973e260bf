"""What will be read from a corpus, and what looks wrong with it, before anything is trained.

sample       the beginning of a corpus -> lines, counts, scripts
findings     a sample -> what looks wrong, with what to do
small_text   counts -> settings for a text that is too small for the defaults
presets      the kind of the data -> settings for it
report       all of it, as plain data, with the command to run next
"""
