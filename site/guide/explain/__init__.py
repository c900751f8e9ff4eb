"""Why the figures come out as they do: one module a question, from evidence to a ``Topic``.

``claims`` makes sentences out of figures, ``work`` holds a result against its device's roofline; each of the
other modules answers a question or a part of one. A sentence holds only while the store's rows bear it out:
where they say the opposite so does the sentence, and where they say nothing it says that.
"""
