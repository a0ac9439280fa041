import Foundation
import HTTPTypes
import HablareWeb
import SiftCore

extension SiftFace {
    func addCommands(to face: inout Face) {
        addDecisions(to: &face.commands)
        addQueue(to: &face.commands)
        addSettings(to: &face.commands)
    }

    private func addDecisions(to commands: inout Commands) {
        let desk = desk
        commands.on("decide", SiftCommand.Decide.self, pageAfterForm: "/") { command, id in
            let request = try command.request(id.uuid)
            try await desk.decide([request])
            return SiftCommand.Decided(action: request.kind.rawValue)
        }
        commands.on("rate", SiftCommand.Rate.self, pageAfterForm: "/") { command, id in
            guard let stars = Int(command.rating) else { throw PhotoProcessingError(.unknownAction) }
            try await desk.decide([
                DecisionRequest(
                    id: id.uuid, photo: try SiftCommand.photo(command.photo),
                    version: try SiftCommand.version(command.version), kind: .rating, rating: stars == 0 ? nil : stars)
            ])
        }
        commands.on("label", SiftCommand.Label.self, pageAfterForm: "/") { command, id in
            guard command.label.isEmpty || PhotoState.labels.contains(command.label) else {
                throw PhotoProcessingError(.unknownAction)
            }
            try await desk.decide([
                DecisionRequest(
                    id: id.uuid, photo: try SiftCommand.photo(command.photo),
                    version: try SiftCommand.version(command.version), kind: .label,
                    label: command.label.isEmpty ? nil : command.label)
            ])
        }
        commands.on("trashMarked", SiftCommand.TrashMarked.self, pageAfterForm: "/alike") { command, id in
            try await desk.decide(try command.requests(id.uuid))
        }
        commands.on("settle", SiftCommand.Settle.self, pageAfterForm: "/") { command, id in
            try await desk.decide(try command.requests(id.uuid))
        }
        commands.on("undo", SiftCommand.Past.self, pageAfterForm: "/") { command, id in
            try await desk.undo(try SiftCommand.decision(command.decision), command: id.uuid)
        }
        commands.on("redo", SiftCommand.Past.self, pageAfterForm: "/") { command, id in
            try await desk.redo(try SiftCommand.decision(command.decision), command: id.uuid)
        }
        commands.on("restore", SiftCommand.Past.self, pageAfterForm: "/history") { command, id in
            try await desk.undo(try SiftCommand.decision(command.decision), command: id.uuid)
        }
        commands.on("again", SiftCommand.Past.self, pageAfterForm: "/history") { command, id in
            try await desk.redo(try SiftCommand.decision(command.decision), command: id.uuid)
        }
        commands.on("select", SiftCommand.Select.self, pageAfterForm: "/") { command, _ in
            try await desk.select(try await selection(of: LibraryFilter(query: command.query)))
        }
        commands.on("openLibrary", SiftCommand.OpenLibrary.self, pageAfterForm: "/") { command, _ in
            guard let place = Int(command.library) else { throw PhotoProcessingError(.unknownAction) }
            try await desk.open(library: place)
        }
        commands.on("show", SiftCommand.Show.self, pageAfterForm: "/") { command, _ in
            try await desk.show(try SiftCommand.photo(command.photo))
        }
    }

    private func addQueue(to commands: inout Commands) {
        let desk = desk
        commands.on("commit", SiftCommand.Nothing.self, pageAfterForm: "/review") { _, _ in try await desk.commit() }
        commands.on("retry", SiftCommand.Nothing.self, pageAfterForm: "/") { _, _ in try await desk.retry() }
    }

    private func addSettings(to commands: inout Commands) {
        let (desk, model) = (desk, settings)
        commands.on("start", SiftCommand.Start.self, pageAfterForm: "/") { command, _ in
            try model.change { settings in
                settings.directions = try Self.directions(command.left, command.up, command.right)
                settings.isWelcomed = true
            }
        }
        commands.on("settings", SiftCommand.Settings.self, pageAfterForm: "/settings") { command, _ in
            try model.change { settings in
                settings.directions = try Self.directions(command.left, command.up, command.right)
                settings.theme = command.theme
                settings.commitMode = command.commitMode
            }
            try await desk.setReview(command.commitMode == .review)
            try await desk.setWritesSidecars(command.writesSidecars == "true")
        }
        commands.on("setKey", SiftCommand.SetKey.self, pageAfterForm: "/settings") { command, _ in
            try model.change { settings in
                guard settings.keys.setKey(command.key, of: command.action) else {
                    throw FaceProblem(
                        .unprocessableContent, code: "invalidKey", title: "That key cannot be used",
                        detail: "Choose another key. Tab and Escape keep their meaning.")
                }
            }
        }
        commands.on("resetKeys", SiftCommand.Nothing.self, pageAfterForm: "/settings") { _, _ in
            try model.change { $0.keys = KeyMap() }
        }
    }

    private static func directions(_ left: Choice, _ up: Choice, _ right: Choice) throws -> DirectionMap {
        guard let map = DirectionMap(left: left, up: up, right: right) else {
            throw FaceProblem(
                .unprocessableContent, code: "sameDirection", title: "Two directions do the same",
                detail: "Choose trash, favourite and keep once each.")
        }
        return map
    }
}
