import Foundation
import HablarePersistence
import HablareWeb
import Hummingbird
import LecternCore
import LecternTexts

extension LecternFace {
    func plansPage() async throws -> Response {
        let texts = try await shelf.texts().filter { $0.description.kind == .scripture }
        let plans = try await planModels()
        let page = PlansPage(
            plans: plans, templates: PlansPage.templates, hasPlans: !plans.isEmpty, hasTexts: !texts.isEmpty)
        return try pages.page(
            "plans",
            await model {
                $0.plans = page
                $0.texts = texts.map { PageModel.Link(href: $0.id, text: $0.description.title) }
            })
    }

    func planModels() async throws -> [PlansPage.Plan] {
        let plans = try await database.read { try PlanStore().plans(in: $0) }
        let texts = try await shelf.texts()
        var models: [PlansPage.Plan] = []
        for plan in plans {
            var shape: TextShape?
            if let text = texts.first(where: { $0.id == plan.text }) { shape = try await shelf.shape(of: text) }
            models.append(PlansPage.Plan(plan, today: today.day, shape: shape))
        }
        return models
    }

    /// Sends reminders of a plan for a calendar.
    ///
    /// - Parameters:
    ///   - name: The id of the plan.
    ///   - time: The time of the day, such as `07:00`. Default: seven in the morning.
    func reminders(_ name: String, _ time: String?) async throws -> Response {
        let id = try Self.id(name)
        guard let plan = try await database.read({ try PlanStore().plan(id, in: $0) }) else {
            throw PersonalDataError(.gone, "This plan was removed. Go back to the plans.")
        }
        let parts = (time ?? "07:00").split(separator: ":").map { Int($0) }
        guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0...23).contains(hour),
            (0...59).contains(minute)
        else { throw PersonalDataError(.invalid, "The time is not understood. Write it like 07:00.") }
        let calendar = PlanCalendar(minute: hour * 60 + minute, names: Self.bookNames)
        guard let document = calendar.document(for: plan, from: today.day, now: Moment(now())) else {
            throw PersonalDataError(.gone, "Everything of this plan is read. There is nothing to be reminded of.")
        }
        return Self.download(Data(document.utf8), "reminders.ics", "text/calendar; charset=utf-8")
    }

    func addPlans(to commands: inout Commands) {
        commands.on("beginPlan", LecternCommand.BeginPlan.self, pageAfterForm: "/plans") { command, id in
            let template: PlanTemplate? =
                switch command.template {
                case "oneYear": .oneYear
                case "newTestament": .newTestament
                case "psalmsAndProverbs": .psalmsAndProverbs
                case "gospels": .gospels
                default: nil
                }
            guard let template else {
                throw PersonalDataError(.invalid, "There is no such plan. Choose one of the list.")
            }
            let title = PlansPage.templates.first { $0.value == command.template }?.title ?? command.template
            try await perform(
                .begin(plan: id.uuid, name: title, template: template, text: command.text, start: today.day), id,
                in: command.text)
        }
        commands.on("setDone", LecternCommand.SetDone.self, pageAfterForm: "/plans") { command, id in
            guard let portion = Int(command.portion) else { throw PersonalDataError(.gone, "Reload the page.") }
            try await perform(
                .setDone(plan: try Self.id(command.plan), portion: portion, isDone: command.done == "true"), id)
        }
        commands.on("catchUp", LecternCommand.Named.self, pageAfterForm: "/plans") { command, id in
            try await perform(.catchUp(plan: try Self.id(command.name)), id)
        }
        commands.on("recalibrate", LecternCommand.Named.self, pageAfterForm: "/plans") { command, id in
            let plan = try Self.id(command.name)
            let text = try await database.read { try PlanStore().plan(plan, in: $0)?.text }
            try await perform(.recalibrate(plan: plan), id, in: text)
        }
        commands.on("removePlan", LecternCommand.Named.self, pageAfterForm: "/plans") { command, id in
            try await perform(.remove(plan: try Self.id(command.name)), id)
        }
    }

    private func perform(_ change: PlanCommand.Change, _ id: CommandID, in text: String? = nil) async throws {
        var planText: PlanText?
        if let text {
            let shape = try await shelf.shape(of: try await shelf.text(text))
            planText = PlanText(
                shape.books.flatMap { book in
                    book.chapters.map { chapter in
                        PlanText.Chapter(
                            ChapterID(book.description.id, chapter.number),
                            verses: chapter.verses.flatMap { Array($0) }.filter { $0 > 0 })
                    }
                })
        }
        let command = PlanCommand(id: id.uuid, madeAt: Moment(id.date), offset: today.offset, change)
        _ = try await personal.perform(command, in: planText)
        await desk.changedData()
    }
}
