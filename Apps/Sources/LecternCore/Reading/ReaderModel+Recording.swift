import LecternTexts

extension PersonalData {
    /// Records an act of reading: adds it to the history, and moves the position of the device, unless that is newer.
    ///
    /// - Parameters:
    ///   - act: The act.
    ///   - device: The id of the device, which the page keeps.
    /// - Returns: Whether the position of the device was moved.
    /// - Throws: ``PersonalDataError``: `invalid`, `diskFull`, `databaseFailed`.
    @discardableResult
    public func record(_ act: ReadingAct, on device: String) async throws -> Bool {
        try await record(
            ReadingPosition(
                device: device, text: act.textID, kind: .reading, chapter: act.verse.chapter, verse: act.verse.verse,
                madeAt: Moment(act.date)))
    }
}

extension ReaderModel {
    /// Creates a model whose acts of reading are recorded in the person's data. Nothing is loaded before ``open(_:)`` or
    /// ``reload()``.
    ///
    /// - Parameters:
    ///   - place: The place to begin at.
    ///   - data: The person's data. Its database has the texts.
    ///   - device: The id of the device, which the page keeps.
    ///   - settings: The settings of the page. Default: those of a new reader.
    public convenience init(
        at place: DeepLink, data: PersonalData, device: String, settings: ReaderSettings = ReaderSettings()
    ) {
        self.init(at: place, database: data.database, settings: settings, seams: data.seams) { act in
            try await data.record(act, on: device)
        }
    }
}
