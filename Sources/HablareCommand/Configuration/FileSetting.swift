/// A setting as it stands in a file, before its value is read.
struct FileSetting: Sendable, Hashable {
    let path: SettingPath
    /// What is written; one text where it is no list. `nil` for a section that a person named, such as a service, which
    /// may say nothing yet.
    let texts: [String]?
    let place: SettingPlace
}
