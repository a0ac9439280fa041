import Foundation
import Testing

@testable import HablareCommand

/// The settings file that is read, and the error if it cannot be read.
@Suite struct ConfigurationFileTests {
    @Test(arguments: ["hablare.yaml", "hablare.yml", "hablare.json"])
    func `The settings file in the configuration folder is found`(name: String) throws {
        let desk = try SettingsDesk()
        let file = try desk.write("{\"data_dir\": \"/srv/x\"}", to: name)
        let settings = try desk.read()
        #expect(settings.dataFolder?.path == "/srv/x")
        #expect(settings.file?.path == file.path)
    }

    @Test func `Several settings files in the configuration folder are an error`() throws {
        let desk = try SettingsDesk()
        try desk.write("{}", to: "hablare.yaml")
        try desk.write("{}", to: "hablare.json")
        let failure = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(failure?.status == .configuration)
        #expect(failure?.message.contains("hablare.json exist. Keep only one") == true)
        // A named file is the only one.
        #expect(try desk.read(".config/hablare/hablare.json").file?.lastPathComponent == "hablare.json")
    }

    @Test func `A file named by --config precedes one named by the environment`() throws {
        var desk = try SettingsDesk()
        try desk.write("data_dir: /found")
        try desk.stage.write("data_dir: /option", to: "option.yaml")
        try desk.stage.write("data_dir: /variable", to: "variable.yaml")
        #expect(try desk.read().dataFolder?.path == "/found")
        desk.environment["HABLARE_CONFIG"] = "variable.yaml"
        #expect(try desk.read().dataFolder?.path == "/variable")
        #expect(try desk.read("option.yaml").dataFolder?.path == "/option")
    }

    @Test func `A named settings file must exist and have a supported extension`() throws {
        var desk = try SettingsDesk()
        let missing = #expect(throws: CommandFailure.self) { try desk.read("nothere.yaml") }
        #expect(missing?.status == .inputMissing)
        #expect(missing?.message.contains("nothere.yaml. Give a settings file with --config") == true)
        #expect(#expect(throws: CommandFailure.self) { try desk.read("") }?.status == .usage)
        desk.environment["HABLARE_CONFIG"] = "nothere.yaml"
        let named = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(named?.message.contains("with HABLARE_CONFIG, or leave it out") == true)
        desk.environment["HABLARE_CONFIG"] = ""
        let empty = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(empty?.status == .configuration)
    }

    @Test func `Without a configuration folder the other settings still apply`() throws {
        let desk = try SettingsDesk()
        var composition = desk.composition()
        composition.environment = ["HABLARE_DATA_DIR": "/srv/x"]
        #expect(try Settings.read(in: composition).dataFolder?.path == "/srv/x")
    }

    // MARK: Unreadable files

    @Test func `A folder as settings file is an error`() throws {
        let desk = try SettingsDesk()
        let file = try desk.write("")
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let failure = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(failure?.status == .configuration)
        #expect(
            failure?.message == "\(file.path) is invalid. It is a folder. Give a settings file."
        )
    }

    @Test func `A pipe as settings file is an error and is not waited for`() throws {
        let desk = try SettingsDesk()
        let pipe = desk.folder.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let failure = #expect(throws: CommandFailure.self) { try desk.read("pipe") }
        #expect(failure?.message.contains("It is not a regular file") == true)
    }

    @Test func `A dangling or cyclic link as settings file is an error`() throws {
        let desk = try SettingsDesk()
        let file = try desk.write("")
        for target in ["hablare.yaml", "nowhere.yaml"] {
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
            let failure = #expect(throws: CommandFailure.self) { try desk.read() }
            #expect(failure?.status == .configuration)
            #expect(failure?.message.contains("hablare.yaml is invalid. It cannot be read: ") == true)
        }
    }

    #if os(Linux)
    @Test func `A read error of the settings file is reported`() throws {
        // The memory of this process is a regular file whose first byte is unreadable even for root.
        let desk = try SettingsDesk()
        let failure = #expect(throws: CommandFailure.self) { try desk.read("/proc/self/mem") }
        #expect(failure?.status == .configuration)
        #expect(failure?.message.contains("It cannot be read: ") == true)
    }
    #endif

    @Test(.enabled(if: getuid() != 0, "root may read everything"))
    func `A settings file without read permission is an error`() throws {
        let desk = try SettingsDesk()
        let file = try desk.write("{}")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
        let failure = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(failure?.message.contains("It cannot be read: ") == true)
    }

    @Test func `A settings file above the size limit is refused`() throws {
        let desk = try SettingsDesk()
        try desk.write("#" + String(repeating: "x", count: ConfigurationFile.maximumBytes - 1))
        #expect(try desk.read().dataFolder == nil)
        try desk.write("#" + String(repeating: "x", count: ConfigurationFile.maximumBytes))
        let failure = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(failure?.message.contains("It has more than 1048576 bytes") == true)
    }

    @Test(arguments: ["hablare.yaml", "hablare.json"])
    func `Invalid UTF-8 in settings is reported with byte and line`(name: String) throws {
        let desk = try SettingsDesk()
        try desk.write(Data("# ä\ndata_dir: ".utf8) + [0xFF, 0x41], to: name)
        let failure = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(
            failure?.message.contains("It is not UTF-8 from byte 15, in line 2.") == true,
            "\(failure?.message ?? "")")
    }

    @Test(arguments: ["hablare.yaml", "hablare.json"])
    func `A byte order mark is ignored`(name: String) throws {
        let desk = try SettingsDesk()
        try desk.write("\u{FEFF}{\"data_dir\": \"/srv/x\"}", to: name)
        #expect(try desk.read().dataFolder?.path == "/srv/x")
    }

    @Test func `Line ends of other systems count as lines`() throws {
        let failure = try SettingsDesk.failure("data_dir: /x\r\nnetwork:\r\n  proxi: none\r\n")
        #expect(failure.message.contains("Line 3, column 3: "))
    }
}
