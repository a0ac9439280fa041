import Foundation
import Testing

@testable import SiftWeb

@Suite("Settings")
struct SettingsTests {
    @Test("Every choice has exactly one direction") func refusesTheSameTwice() {
        #expect(DirectionMap(left: .trash, up: .trash, right: .keep) == nil)
        #expect(DirectionMap(left: .keep, up: .trash, right: .favourite)?[.up] == .trash)
    }

    @Test("A key moves from another action of the same place") func movesKeys() {
        var keys = KeyMap()
        let gaveU = keys.setKey("U", of: "trash")
        #expect(gaveU)
        #expect(keys.bindings.first { $0.action == "trash" }?.keys == ["U"])
        #expect(keys.bindings.first { $0.action == "undo" }?.keys == ["Ctrl+Z"])
        let gaveLeft = keys.setKey("ArrowLeft", of: "trash")
        #expect(gaveLeft)
        // The card's left loses the key, and so does panning while comparing, because trash acts there too.
        #expect(keys.bindings.first { $0.action == "left" }?.keys == [])
        #expect(keys.bindings.first { $0.action == "pan-left" }?.keys == [])
        #expect(keys.changed.count == 4)
    }

    @Test("Keys that leave a field, and unknown actions, are refused", arguments: ["Tab", "Escape", "", "<b>"])
    func refusesKeys(_ key: String) {
        var keys = KeyMap()
        let gaveKey = keys.setKey(key, of: "trash")
        #expect(!gaveKey)
        let gaveUnknown = keys.setKey("Q", of: "format-disk")
        #expect(!gaveUnknown)
        #expect(keys == KeyMap())
    }

    @Test("No key has two meanings in one place at first") func defaultsAreClear() {
        for context in ["card", "zoom", "compare"] {
            let keys = KeyMap.defaults.filter { $0.contexts.contains(context) }.flatMap(\.keys)
            #expect(Set(keys).count == keys.count, "\(context)")
        }
    }

    @Test("Settings come back as they were written") func roundTrip() throws {
        var settings = SiftSettings()
        settings.theme = .sepia
        settings.isWelcomed = true
        settings.directions = try #require(DirectionMap(left: .keep, up: .trash, right: .favourite))
        let gaveZoom = settings.keys.setKey("Q", of: "zoom")
        #expect(gaveZoom)
        let data = try JSONEncoder().encode(settings)
        #expect(try JSONDecoder().decode(SiftSettings.self, from: data) == settings)
    }

    @Test("A file of an older version has defaults for the rest") func readsOldFiles() throws {
        let settings = try JSONDecoder().decode(
            SiftSettings.self, from: Data(#"{"theme":"dark","keys":{"gone":["Q"]}}"#.utf8))
        #expect(settings.theme == .dark)
        #expect(settings.keys == KeyMap())
    }

    @Test("A file with a choice twice is refused") func refusesDamage() {
        let text = #"{"directions":{"left":"keep","up":"keep","right":"trash"}}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SiftSettings.self, from: Data(text.utf8))
        }
    }

    @Test("A change that cannot be written is not shown") @MainActor func writesFirst() {
        struct Full: Error {}
        let model = SettingsModel(SiftSettings()) { _ in throw Full() }
        #expect(throws: Full.self) { try model.change { $0.theme = .dark } }
        #expect(model.settings.theme == .auto)
    }
}
