import Testing

@testable import HablareWeb

@Suite struct TemplateLintTests {
    private func faults(_ text: String) -> [String] {
        do {
            _ = try Pages(templates: ["page": text, "other": ""]) { $0 == "app.css" ? "/assets/1/app.css" : nil }
            return []
        } catch {
            return error.faults
        }
    }

    @Test(
        "Values that would not be escaped are refused",
        arguments: [
            "{{{x}}}", "{{{ x }}}", "{{&x}}", "{{ & x }}", "{{=<% %>=}}<%& x %>", "{{% CONTENT_TYPE: TEXT}}{{x}}",
            "{{#a}}{{{x}}}{{/a}}", "{{ {x} }}",
        ])
    func unescaped(_ text: String) {
        #expect(!faults(text).isEmpty)
    }

    @Test(
        "Inline scripts, styles and handlers are refused",
        arguments: [
            "<script>1</script>", "<SCRIPT type=module>1</SCRIPT>", "<style>a{}</style>", "<p style=\"x\">",
            "<p onclick=\"x\">", "<iframe srcdoc=\"x\">", "<p\nonload='x'>", "<script data-src=\"x\">1</script>",
        ])
    func inline(_ text: String) {
        #expect(!faults(text).isEmpty)
    }

    @Test("A value in a tag needs quotes", arguments: ["<a href={{x}}>", "<a {{x}}>", "<p class='a' id={{x}}>"])
    func quotes(_ text: String) {
        #expect(!faults(text).isEmpty)
    }

    @Test("A partial or an asset that does not exist is refused")
    func names() {
        #expect(faults("{{> nothing}}") == ["page: There is no template 'nothing'."])
        #expect(faults("{{<nothing}}{{/nothing}}").first == "page: There is no template 'nothing'.")
        #expect(faults("{{asset nothing.css}}").first == "page: There is no asset 'nothing.css'.")
        #expect(faults("{{asset").first == "page: A tag has no end: asset")
    }

    @Test("All faults of all templates are reported at once")
    func all() {
        let error = #expect(throws: PageError.self) {
            try Pages(templates: ["a": "{{{x}}}", "b": "{{&y}}{{> c}}"]) { _ in nil }
        }
        #expect(error?.faults.count == 3)
    }

    @Test(
        "Ordinary templates are accepted",
        arguments: [
            "<a href=\"/x/{{id}}\" title='{{name}}'>{{name}}</a>",
            "{{#list}}<li>{{.}}</li>{{/list}}{{^list}}–{{/list}}",
            "{{> other}}", "{{! a comment }}", "<script type=\"module\" src=\"/x.js\"></script>",
            "<option value=\"1\" {{#chosen}}selected{{/chosen}}>", "a < b and {{c}}", "<p data-one=\"{{x}}\">",
        ])
    func ordinary(_ text: String) {
        #expect(faults(text) == [])
    }

    @Test("Values are escaped in text and in quotes, and an asset becomes its address")
    func rendering() throws {
        let pages = try Pages(
            templates: ["page": "<link href=\"{{asset app.css}}\"><p title=\"{{x}}\">{{x}}</p>"]
        ) { _ in "/assets/1/app.css" }
        let html = try pages.html("page", ["x": "<b>\"&'"])
        #expect(
            html
                == "<link href=\"/assets/1/app.css\"><p title=\"&lt;b&gt;&quot;&amp;&#39;\">&lt;b&gt;&quot;&amp;&#39;</p>"
        )
        #expect(throws: PageError.self) { try pages.html("nothing", ["x": 1]) }
    }
}
