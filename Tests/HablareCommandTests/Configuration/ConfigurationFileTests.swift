import Foundation
import Testing

@testable import HablareCommand

/// Which file is read, and what happens if it cannot be read.
@Suite struct ConfigurationFileTests {
    @Test(arguments: ["hablare.yaml", "hablare.yml", "hablare.json"])
    func `The file in the configuration folder is found`(name: String) throws {
        let desk = try SettingsDesk()
        let file = try desk.write("{\"data_dir\": \"/srv/x\"}", to: name)
        let settings = try desk.read()
        #expect(settings.dataFolder?.path == "/srv/x")
        #expect(settings.file?.path == file.path)
    }

    @Test func `Two of them are an error: neither is better`() throws {
        let desk = try SettingsDesk()
        try desk.write("{}", to: "hablare.yaml")
        try desk.write("{}", to: "hablare.json")
        let failure = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(failure?.status == .configuration)
        #expect(failure?.message.contains("hablare.json are all there") == true)
        // A named file is the only one.
        #expect(try desk.read(".config/hablare/hablare.json").file?.lastPathComponent == "hablare.json")
    }

    @Test func `A named file counts, the option's before the variable's`() throws {
        var desk = try SettingsDesk()
        try desk.write("data_dir: /found")
        try desk.stage.write("data_dir: /option", to: "option.yaml")
        try desk.stage.write("data_dir: /variable", to: "variable.yaml")
        #expect(try desk.read().dataFolder?.path == "/found")
        desk.environment["HABLARE_CONFIG"] = "variable.yaml"
        #expect(try desk.read().dataFolder?.path == "/variable")
        #expect(try desk.read("option.yaml").dataFolder?.path == "/option")
    }

    @Test func `A named file must be there, and its name must be one`() throws {
        var desk = try SettingsDesk()
        let missing = #expect(throws: CommandFailure.self) { try desk.read("nothere.yaml") }
        #expect(missing?.status == .inputMissing)
        #expect(missing?.message.contains("nothere.yaml. Give a file of settings with --config") == true)
        #expect(#expect(throws: CommandFailure.self) { try desk.read("") }?.status == .usage)
        desk.environment["HABLARE_CONFIG"] = "nothere.yaml"
        let named = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(named?.message.contains("with HABLARE_CONFIG, or leave it out") == true)
        desk.environment["HABLARE_CONFIG"] = ""
        let empty = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(empty?.status == .configuration)
    }

    @Test func `Without a configuration folder there are still settings`() throws {
        let desk = try SettingsDesk()
        var composition = desk.composition()
        composition.environment = ["HABLARE_DATA_DIR": "/srv/x"]
        #expect(try Settings.read(in: composition).dataFolder?.path == "/srv/x")
    }

    // MARK: Unreadable files

    @Test func `A folder is no file`() throws {
        let desk = try SettingsDesk()
        let file = try desk.write("")
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let failure = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(failure?.status == .configuration)
        #expect(
            failure?.message == "\(file.path) is not as it should be. It is a folder, and a file of settings is wanted."
        )
    }

    @Test func `A pipe is no file, and is not waited for`() throws {
        let desk = try SettingsDesk()
        let pipe = desk.folder.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let failure = #expect(throws: CommandFailure.self) { try desk.read("pipe") }
        #expect(failure?.message.contains("It is no regular file") == true)
    }

    @Test func `Links that lead nowhere, or in a circle, are told and not passed over`() throws {
        let desk = try SettingsDesk()
        let file = try desk.write("")
        for target in ["hablare.yaml", "nowhere.yaml"] {
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
            let failure = #expect(throws: CommandFailure.self) { try desk.read() }
            #expect(failure?.status == .configuration)
            #expect(failure?.message.contains("hablare.yaml is not as it should be. It cannot be read: ") == true)
        }
    }

    #if os(Linux)
    @Test func `A file that gives an error when it is read is told`() throws {
        // The memory of this process is a regular file whose first byte is unreadable even for root.
        let desk = try SettingsDesk()
        let failure = #expect(throws: CommandFailure.self) { try desk.read("/proc/self/mem") }
        #expect(failure?.status == .configuration)
        #expect(failure?.message.contains("It cannot be read: ") == true)
    }
    #endif

    @Test(.enabled(if: getuid() != 0, "root may read everything"))
    func `A file that may not be read is told`() throws {
        let desk = try SettingsDesk()
        let file = try desk.write("{}")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
        let failure = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(failure?.message.contains("It cannot be read: ") == true)
    }

    @Test func `What is too large is refused, and what is just not is read`() throws {
        let desk = try SettingsDesk()
        try desk.write("#" + String(repeating: "x", count: ConfigurationFile.maximumBytes - 1))
        #expect(try desk.read().dataFolder == nil)
        try desk.write("#" + String(repeating: "x", count: ConfigurationFile.maximumBytes))
        let failure = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(failure?.message.contains("It has more than 1048576 bytes") == true)
    }

    @Test(arguments: ["hablare.yaml", "hablare.json"])
    func `What is not UTF-8 is told with its byte and its line`(name: String) throws {
        let desk = try SettingsDesk()
        try desk.write(Data("# ä\ndata_dir: ".utf8) + [0xFF, 0x41], to: name)
        let failure = #expect(throws: CommandFailure.self) { try desk.read() }
        #expect(
            failure?.message.contains("It is not UTF-8 from byte 15 on, in line 2.") == true,
            "\(failure?.message ?? "")")
    }

    @Test(arguments: ["hablare.yaml", "hablare.json"])
    func `A byte order mark is passed over`(name: String) throws {
        let desk = try SettingsDesk()
        try desk.write("\u{FEFF}{\"data_dir\": \"/srv/x\"}", to: name)
        #expect(try desk.read().dataFolder?.path == "/srv/x")
    }

    @Test func `The lines of other systems are lines`() throws {
        let failure = try SettingsDesk.failure("data_dir: /x\r\nnetwork:\r\n  proxi: none\r\n")
        #expect(failure.message.contains("Line 3, column 3: "))
    }
}
