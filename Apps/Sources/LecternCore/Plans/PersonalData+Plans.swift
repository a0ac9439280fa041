import Foundation
import GRDB

extension PersonalData {
    /// Carries out a command about plans. When the method returns, the change is on disk.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - text: The plan's text, which `begin` and `recalibrate` need. Default: none.
    /// - Returns: Whether the plan was changed by this call.
    /// - Throws: ``PersonalDataError``: `gone`, `invalid`, `tooLarge`, `conflict`, `diskFull`, `takenOver`,
    ///   `databaseFailed`. Nothing was changed then.
    @discardableResult
    public func perform(_ command: PlanCommand, in text: PlanText? = nil) async throws -> MarkOutcome {
        let now = now
        let digest = try command.digest()
        let outcome = try await change(command.id, digest: digest, name: command.change.name) { recorder, db in
            var editor = PlanEditor(command: command, now: now, text: text, db: db, recorder: recorder)
            try editor.run()
            let isChanged = editor.recorder.changes.count > recorder.changes.count
            recorder = editor.recorder
            return isChanged ? MarkOutcome.changed : .unchanged
        }
        return outcome ?? .repeated
    }
}

/// Carries out commands about plans, in a transaction.
struct PlanEditor {
    let command: PlanCommand
    let now: Moment
    let text: PlanText?
    let db: Database
    var recorder: RowRecorder

    private var madeAt: Moment { min(command.madeAt, now) }
    private var today: CalendarDay { ReadingPlan.Done(madeAt: madeAt, offset: command.offset).day }

    mutating func run() throws {
        switch command.change {
        case .begin(let id, let name, let template, let textID, let start):
            guard try RowChange.image(of: .plan, ["id": id.value], in: db) == nil else {
                throw PersonalDataError(.conflict, "There is a plan with this id already.")
            }
            let plan = try ReadingPlan(
                id: id, name: MarkLimits.name(name, MarkLimits.name, "plan"), template: template, textID: textID,
                in: needed(text), start: start)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let json = String(decoding: try encoder.encode(template), as: UTF8.self)
            try recorder.write(
                .plan, ["id": id.value],
                [
                    "name": .text(plan.name), "template": .text(json), "text": .text(textID),
                    "portions": .text(try StoredPortion.text(of: plan.portions)),
                    "createdAt": .integer(madeAt.rawValue),
                ], in: db)
        case .setDone(let id, let portion, let isDone):
            var plan = try plan(id)
            let record = isDone ? ReadingPlan.Done(madeAt: madeAt, offset: command.offset) : nil
            guard plan.portionRead(portion, record) else { return }
            let key: RowImage = ["plan": id.value, "portion": .integer(Int64(portion))]
            guard let record else { return try recorder.remove(.planDone, key, in: db) }
            try recorder.write(
                .planDone, key,
                ["madeAt": .integer(record.madeAt.rawValue), "offset": .integer(Int64(record.offset))], in: db)
        case .catchUp(let id):
            var plan = try plan(id)
            plan.caughtUp(on: today)
            try write(plan)
        case .recalibrate(let id):
            var plan = try plan(id)
            try plan.recalibrated(on: today, in: needed(text))
            try write(plan)
        case .rename(let id, let name):
            _ = try plan(id)
            let name = try MarkLimits.name(name, MarkLimits.name, "plan")
            try recorder.write(.plan, ["id": id.value], ["name": .text(name)], in: db)
        case .remove(let id):
            _ = try plan(id)
            try recorder.write(.plan, ["id": id.value], ["isRemoved": .integer(1)], in: db)
        }
    }

    private mutating func write(_ plan: ReadingPlan) throws {
        try recorder.write(
            .plan, ["id": plan.id.value], ["portions": .text(try StoredPortion.text(of: plan.portions))], in: db)
    }

    private func plan(_ id: UUID) throws -> ReadingPlan {
        guard let plan = try PlanStore().plan(id, in: db) else {
            throw PersonalDataError(.gone, "The plan was removed. Undo, or begin a new one.")
        }
        return plan
    }

    private func needed(_ text: PlanText?) throws(PersonalDataError) -> PlanText {
        guard let text else {
            throw PersonalDataError(.invalid, "The plan's text is missing. Import it, or choose another text.")
        }
        return text
    }
}
