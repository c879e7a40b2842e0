// Holds a JSON value against a JSON Schema: the keywords that docs/schema uses, and no other (an
// unknown one is an error).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace cdcscope::test {

class schema_check {
  public:
    explicit schema_check(nlohmann::json schema) : root_(std::move(schema)) {}

    // What is wrong, a line each; empty if the value fits.
    [[nodiscard]] std::vector<std::string> errors(const nlohmann::json& value) const {
        std::vector<std::string> out;
        check(root_, value, "", out);
        return out;
    }

    // Members that no branch of the schema names.
    [[nodiscard]] std::set<std::string> unknown_members(const nlohmann::json& value) const {
        std::set<std::string> known;
        collect(root_, known);
        std::set<std::string> out;
        for (const auto& [name, member] : value.items()) {
            if (known.count(name) == 0) out.insert(name);
        }
        return out;
    }

  private:
    using json = nlohmann::json;
    using texts = std::vector<std::string>;

    static void collect(const json& schema, std::set<std::string>& known) {
        if (!schema.is_object()) return;
        if (schema.contains("properties")) {
            for (const auto& [name, sub] : schema["properties"].items()) known.insert(name);
        }
        for (const char* branch : {"then", "else"}) {
            if (schema.contains(branch)) collect(schema[branch], known);
        }
    }

    static bool is(const json& value, const std::string& type) {
        if (type == "object") return value.is_object();
        if (type == "array") return value.is_array();
        if (type == "string") return value.is_string();
        if (type == "boolean") return value.is_boolean();
        if (type == "null") return value.is_null();
        if (type == "integer") return value.is_number_integer();
        return type == "number" && value.is_number();
    }

    static bool matches(const std::string& text, const std::string& pattern) {
        static std::map<std::string, std::regex> compiled;
        return std::regex_search(text, compiled.try_emplace(pattern, pattern).first->second);
    }

    bool fits(const json& schema, const json& value) const {
        texts found;
        check(schema, value, "", found);
        return found.empty();
    }

    void check(const json& schema, const json& value, const std::string& at, texts& out) const {
        if (schema.is_boolean()) {
            if (!schema.get<bool>()) out.push_back(at + ": nothing may stand here");
            return;
        }
        for (const auto& [keyword, rule] : schema.items()) {
            if (!apply(schema, keyword, rule, value, at, out))
                out.push_back(at + ": " + keyword + " " + rule.dump() + " but " +
                              value.dump().substr(0, 80));
        }
    }

    // False: the value breaks the rule. Errors inside of it are added as they are found.
    bool apply(const json& schema, const std::string& keyword, const json& rule, const json& value,
               const std::string& at, texts& out) const {
        static const std::set<std::string> silent = {"$schema", "$id",  "title", "description",
                                                     "$defs",   "then", "else",  "contentEncoding"};
        if (silent.count(keyword) != 0) return true;
        if (keyword == "$ref") {
            check(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), value, at, out);
            return true;
        }
        if (keyword == "type") {
            if (rule.is_string()) return is(value, rule);
            return std::any_of(rule.begin(), rule.end(),
                               [&](const json& t) { return is(value, t); });
        }
        if (keyword == "const") return value == rule;
        if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
        if (keyword == "minimum") return !value.is_number() || value >= rule;
        if (keyword == "maximum") return !value.is_number() || value <= rule;
        if (keyword == "pattern") return !value.is_string() || matches(value, rule);
        if (keyword == "minItems") return !value.is_array() || value.size() >= rule;
        if (keyword == "maxItems") return !value.is_array() || value.size() <= rule;
        if (keyword == "items") {
            for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
                check(rule, value[i], at + "/" + std::to_string(i), out);
            return true;
        }
        return apply_to_members(schema, keyword, rule, value, at, out);
    }

    bool apply_to_members(const json& schema, const std::string& keyword, const json& rule,
                          const json& value, const std::string& at, texts& out) const {
        if (keyword == "properties") {
            for (const auto& [name, sub] : rule.items()) {
                if (value.is_object() && value.contains(name))
                    check(sub, value[name], at + "/" + name, out);
            }
            return true;
        }
        if (keyword == "additionalProperties") {
            for (const auto& [name, member] : value.items()) {
                if (!value.is_object() ||
                    (schema.contains("properties") && schema["properties"].contains(name)))
                    continue;
                check(rule, member, at + "/" + name, out);
            }
            return true;
        }
        if (keyword == "required") {
            return !value.is_object() ||
                   std::all_of(rule.begin(), rule.end(),
                               [&](const json& name) { return value.contains(name); });
        }
        const auto count = [&] {
            return std::count_if(rule.begin(), rule.end(),
                                 [&](const json& sub) { return fits(sub, value); });
        };
        if (keyword == "anyOf") return count() > 0;
        if (keyword == "oneOf") return count() == 1;
        if (keyword == "not") return !fits(rule, value);
        if (keyword == "if") {
            const char* branch = fits(rule, value) ? "then" : "else";
            if (schema.contains(branch)) check(schema[branch], value, at, out);
            return true;
        }
        out.push_back(at + ": keyword " + keyword + " is not understood");
        return true;
    }

    json root_;
};

}  // namespace cdcscope::test
