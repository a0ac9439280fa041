import Foundation
import GRDB
import Hablare
import HablareData
import HablarePersistence
import Logging
import Observation
import ServiceLifecycle

/// The article's code in a namespace of its own, because the tests have an article type, too.
enum MergeSnippets {
    // snippet: merge-model
    /// An article as the app stores it.
    struct Article: Codable, Identifiable, FetchableRecord, PersistableRecord {
        var id: Int64
        var title: String
        var summary: String?
        var audio: Data?

        enum Columns {
            static let summary = Column(CodingKeys.summary)
            static let audio = Column(CodingKeys.audio)
        }
    }

    /// The model of an article's view.
    @Observable @MainActor final class ArticleModel {
        let id: Int64
        var summary = ""

        init(id: Int64) { self.id = id }
    }
    // end snippet

    // snippet: merge-migrations
    /// The app's schema. Register the library's tables before, between or after your own.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("articles") { db in
            try db.create(table: "article") { t in
                t.primaryKey("id", .integer)
                t.column("title", .text).notNull()
                t.column("summary", .text)
                t.column("audio", .blob)
            }
        }
        migrator.registerHablareData()
        return migrator
    }
    // end snippet

    // snippet: merge-composition
    /// The objects that the app creates once.
    @MainActor struct AppServices {
        let database: AppDatabase
        let manager: AIRequestManager
        let coordinator: AIDataCoordinator

        init(store: any RequestStore, providers: ProviderRegistry, database: AppDatabase) {
            self.database = database
            manager = AIRequestManager(store: store, providers: providers)
            coordinator = AIDataCoordinator(
                manager: manager, database: database.writer,
                // The targets that a promised merge can name (see *Before the answer exists*). Never change their names.
                targets: [
                    .column(Article.self, { $0.audio }),
                    .column(Article.self, { $0.summary }, rules: [.length(1...600)]),
                ],
                options: AIDataCoordinator.Options(provider: "writer"))
        }

        /// Runs the engine and the promised merges until the app ends.
        func run() async throws {
            let group = ServiceGroup(
                services: [EngineService(manager), coordinator], logger: Logger(label: "app"))
            try await group.run()
        }
    }
    // end snippet

    /// The calls in the article.
    struct MergeCalls {
        let coordinator: AIDataCoordinator
        let request: AIRequest
        let response: AIResponseData

        @MainActor func model(_ article: ArticleModel) async throws -> String {
            // snippet: merge-into-model
            let summary = try await coordinator.generate(request, into: article, property: \.summary)
            // end snippet
            return summary
        }

        func row(_ articleID: Int64) async throws {
            // snippet: merge-into-row
            try await coordinator.merge(response, into: Article.self, id: articleID, column: \.audio)
            // end snippet
        }

        func outcome(_ articleID: Int64) async throws {
            // snippet: merge-outcome
            switch try await coordinator.merge(response, into: Article.self, id: articleID, column: \.audio) {
            case .merged: print("It was added now.")
            case .alreadyMerged(let date): print("It has been there since \(date).")
            }
            // end snippet
        }

        func promiseAgain(_ articleID: Int64) async throws {
            // snippet: merge-promise-again
            for promise in try await coordinator.pendingMerges() where promise.failure != nil {
                print(promise)
                let (requestID, target) = (promise.key.requestID, promise.key.target)
                // If the cause of the failure is corrected: promise again.
                try await coordinator.promiseMerge(requestID: requestID, into: target, row: promise.key.row)
                // Otherwise: promise into another row, and withdraw the first promise.
                try await coordinator.promiseMerge(requestID: requestID, into: target, row: MergeRow(articleID))
                try await coordinator.forgetMerge(requestID: requestID, into: target, row: promise.key.row)
            }
            // end snippet
        }

        func promise(_ articleID: Int64) async throws {
            // snippet: merge-promise
            try await coordinator.submit(request, mergingInto: "article.audio", row: MergeRow(articleID))
            // end snippet
        }

        func many(_ answers: [(response: AIResponseData, row: MergeRow)]) async {
            // snippet: merge-many
            let outcomes = await coordinator.merge(answers, into: .column(Article.self, { $0.summary }))
            for (answer, outcome) in zip(answers, outcomes) {
                if case .failure(let error) = outcome { print("\(answer.row): \(error)") }
            }
            // end snippet
        }

        func watch() async {
            // snippet: merge-events
            for await event in coordinator.merges {
                switch event {
                case .willMerge(let keys): print("\(keys.count) on their way")
                case .didMerge(let keys), .wereMerged(let keys): print("\(keys.count) there")
                case .mergeFailed(let key, let error): print("\(key.target): \(error.message)")
                }
            }
            // end snippet
        }

        // snippet: merge-own-type
        /// A type of your own, decoded from an answer that was requested with a schema.
        struct Recipe: Decodable, Sendable, ResponseConvertible {
            var name: String
            var minutes: Int
        }

        @MainActor final class Kitchen {
            var recipe: Recipe?
        }

        @MainActor func cook(in kitchen: Kitchen) async throws {
            try await coordinator.merge(response, into: kitchen, property: \.recipe)
        }
        // end snippet

        @MainActor func durable(_ article: ArticleModel) async throws {
            // snippet: merge-context
            let context = DatabaseMergeContext<ArticleModel>(coordinator, id: { $0.id }) { article in
                let (id, summary) = (article.id, article.summary)
                return { db in _ = try Article.filter(key: id).updateAll(db) { $0.summary.set(to: summary) } }
            }
            try await coordinator.merge(
                response, into: article, property: \.summary, named: "article.summary", in: context)
            // end snippet
        }
    }
}

#if canImport(SwiftUI)
import SwiftUI

extension MergeSnippets {
    // snippet: merge-swiftui
    struct ArticleView: View {
        @State var article: ArticleModel
        let coordinator: AIDataCoordinator
        @State private var message: String?

        var body: some View {
            VStack {
                Text(article.summary)
                if let message { Text(message) }
            }
            .task {
                do {
                    let request = AIRequest(prompt: "Summarise article \(article.id).", priority: .high)
                    try await coordinator.generate(request, into: article, property: \.summary)
                } catch is CancellationError {
                    // The view disappeared. The request continues, and its answer is kept.
                } catch {
                    message = error.localizedDescription
                }
            }
        }
    }
    // end snippet
}
#endif

#if canImport(UIKit)
import UIKit

extension MergeSnippets {
    // snippet: merge-uikit
    final class ArticleViewController: UIViewController {
        private let article: ArticleModel
        private let coordinator: AIDataCoordinator
        private let label = UILabel()

        init(article: ArticleModel, coordinator: AIDataCoordinator) {
            self.article = article
            self.coordinator = coordinator
            super.init(nibName: nil, bundle: nil)
        }

        required init?(coder: NSCoder) { nil }

        /// Delivers the answer of a submitted request. Does not wait for it, and does not keep the model alive.
        func show(_ requestID: UUID) {
            coordinator.deliver(requestID, into: article, property: \.summary)
        }

        override func updateProperties() {
            super.updateProperties()
            label.text = article.summary
        }
    }
    // end snippet
}
#endif
