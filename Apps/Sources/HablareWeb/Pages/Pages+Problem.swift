import Hummingbird

extension Pages {
    /// The values of the template `problem`, which an app may replace.
    struct ProblemPage: Sendable {
        let status: Int
        let code: String
        let title: String
        let detail: String
    }

    /// The built-in template `problem`.
    static let problemTemplate = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{title}}</title>
        </head>
        <body>
        <main>
        <h1>{{title}}</h1>
        <p>{{detail}}</p>
        <p><a href="">Try again</a> · <a href="/">Start page</a></p>
        </main>
        </body>
        </html>

        """

    /// Returns a problem as a page.
    func response(for problem: FaceProblem) -> Response {
        do {
            return try page(
                "problem",
                ProblemPage(
                    status: problem.status.code, code: problem.code, title: problem.title, detail: problem.detail),
                status: problem.status)
        } catch {
            return problem.response()
        }
    }
}
