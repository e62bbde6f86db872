"""Who may do what with every object there is: the whole answer, written down by hand, and held to the database.

What these tables do not allow is refused. A new table, column, function, schema, role or verb without a line here makes
the proof fail, so nobody can add one without saying whose it is.
"""
