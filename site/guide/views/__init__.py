"""From the analysis to what pages place: families of tasks, words for codes, tables. For several pages."""
