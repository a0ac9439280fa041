import Foundation
import Hablare
import HablareTestFiles
import Testing

@testable import HablareCommand

/// An environment for reading settings: a folder with files, variables, and options.
struct SettingsDesk {
    let stage: Stage
    var environment: [String: String] = [:]

    init() throws {
        stage = try Stage()
    }

    var folder: URL { stage.folder.url }

    /// Returns the composition for a command line.
    func composition(_ arguments: [String] = []) -> Composition {
        var composition = stage.composition(arguments)
        composition.environment.merge(environment) { $1 }
        return composition
    }

    /// Writes a file into the configuration folder.
    @discardableResult
    func write(_ text: String, to name: String = "hablare.yaml") throws -> URL {
        try write(Data(text.utf8), to: name)
    }

    @discardableResult
    func write(_ data: Data, to name: String = "hablare.yaml") throws -> URL {
        let home = folder.appending(path: ".config/hablare", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let file = home.appending(path: name)
        try data.write(to: file)
        return file
    }

    func read(_ config: String? = nil, options: [Setting] = []) throws -> Settings {
        try Settings.read(config, options: options, in: composition())
    }

    /// Returns the settings of a text.
    static func settings(_ text: String, named name: String = "hablare.yaml") throws -> Settings {
        let desk = try SettingsDesk()
        try desk.write(text, to: name)
        return try desk.read()
    }

    /// Returns the error of an invalid text.
    static func failure(_ text: String, named name: String = "hablare.yaml") throws -> CommandFailure {
        try #require(throws: CommandFailure.self) { try settings(text, named: name) }
    }
}
