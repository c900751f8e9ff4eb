"""The guide in other languages: the same pages, numbers and charts, with the sentences of a catalogue.

A page is written once, in English (``templates/``, ``guide.views``). Its other versions are made from the
finished text: what a reader reads is cut into segments, and in each the figures, dates and names become
numbers in braces, so that one entry of the catalogue serves however the figures turn out::

    msgid "{1} wins in {2} of plausible prices and uses"
    msgstr "在 {2} 的合理价格和用法下,{1} 胜出"

The catalogues are ``templates/translations/<language>.po``. A segment that a catalogue lacks is shown in
English, marked as such, and the page says how many there are. ``tools/translations.py`` brings a catalogue up
to date with what the pages say.

- ``segments``   cuts a page into segments and puts it together again
- ``patterns``   between a segment and its entry: figures, dates, names and tags as numbered places
- ``catalogue``  a language: its entries, its name, its dates
- ``versions``   which pages there are in other languages, and a page in one of them
- ``scripts``    the sentences that scripts write, found in their sources: a page loads their translations
- ``handed``     what scripts are handed (figures, records, answers) with its words translated
"""
