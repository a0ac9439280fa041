extension BookID {
    /// The id of text outside of all books.
    static let otherMatter = BookID(rawValue: "Other")
    /// The id of a glossary.
    static let glossary = BookID(rawValue: "Glossary")
}

extension BookCatalogue {
    /// Books of other canons, which a source may have. Their names include those of SWORD.
    static let furtherDeuterocanon: [Row] = [
        ("AddDan", "", "Additions to Daniel", "Add Dan", ""),
        ("4Ezra", "EZA", "Apocalypse of Ezra", "4 Ezra", ""),
        ("5Ezra", "5EZ", "5 Ezra", "5 Ezra", "vezra"),
        ("6Ezra", "6EZ", "6 Ezra", "6 Ezra", "viezra"),
        ("5ApocSyrPss", "PS3", "Psalms 152–155", "Ps 152–155", "fiveapocryphalsyriacpsalms"),
        ("2Bar", "2BA", "2 Baruch", "2 Bar", ""),
        ("EpBar", "LBA", "Letter of Baruch", "Ep Bar", ""),
        ("Jub", "JUB", "Jubilees", "Jub", ""),
        ("1En", "ENO", "1 Enoch", "1 En", ""),
        ("1Meq", "1MQ", "1 Meqabyan", "1 Meq", ""),
        ("2Meq", "2MQ", "2 Meqabyan", "2 Meq", ""),
        ("3Meq", "3MQ", "3 Meqabyan", "3 Meq", ""),
        ("Reproof", "REP", "Reproof", "Reproof", ""),
        ("4Bar", "4BA", "4 Baruch", "4 Bar", ""),
        ("Odes", "ODA", "Odes", "Odes", ""),
        ("PssSol", "PSS", "Psalms of Solomon", "Pss Sol", ""),
    ]

    /// Matter before the first book, with ids of ours.
    static let frontMatter: [Row] = [
        ("Front", "FRT", "Front Matter", "Front", ""),
        ("Intro", "INT", "Introduction", "Intro", ""),
    ]

    /// Matter behind the last book, with ids of ours.
    static let backMatter: [Row] = [
        ("EpLao", "LAO", "Laodiceans", "Lao", ""),
        ("Back", "BAK", "Back Matter", "Back", ""),
        ("Other", "OTH", "Other Matter", "Other", ""),
        ("Concordance", "CNC", "Concordance", "Conc", ""),
        ("Glossary", "GLO", "Glossary", "Gloss", ""),
        ("TopicalIndex", "TDX", "Topical Index", "Topics", ""),
        ("NamesIndex", "NDX", "Names Index", "Names", ""),
        ("ExtraA", "XXA", "Extra A", "Extra A", ""),
        ("ExtraB", "XXB", "Extra B", "Extra B", ""),
        ("ExtraC", "XXC", "Extra C", "Extra C", ""),
        ("ExtraD", "XXD", "Extra D", "Extra D", ""),
        ("ExtraE", "XXE", "Extra E", "Extra E", ""),
        ("ExtraF", "XXF", "Extra F", "Extra F", ""),
        ("ExtraG", "XXG", "Extra G", "Extra G", ""),
    ]
}
