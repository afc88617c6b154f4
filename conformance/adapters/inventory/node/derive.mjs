// Tells the doors of a library of Node, as JSON: read from its type definitions by the compiler of TypeScript.
//
// The request is a JSON object in the first argument: `roots` ("module:name", what users meet), `packages` (whose types
// are the library's own), `first` (the door that is shown first) and `folder` (the project that has `node_modules`). The
// second argument is where the compiler is. The rules are those of relevance.py: what is about tools is told by words in
// names, and by what types lead to. An object that a method takes is taken apart: its members are the parameters. Of what
// is taken as it is, `place` says which argument it is. Options and outputs are not told.

import { createRequire } from "node:module";
import { join } from "node:path";

const request = JSON.parse(process.argv[2]);
const ts = createRequire(join(process.argv[3], "package.json"))("typescript");

const ALONE = new Set(["tool", "tools", "toolset", "toolsets", "toolkit", "toolkits", "mcp", "functions"]);
const AFTER_FUNCTION = new Set([
  "call", "calls", "calling", "choice", "declaration", "declarations", "response", "responses",
]);
const DEEPEST = 6;

/** Whether a name has a word for tools. */
function isAboutTools(name) {
  const words = (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
  return words.some((word, place) =>
    ALONE.has(word) || (word === "function" && AFTER_FUNCTION.has(words[place + 1])));
}

// --- the program -----------------------------------------------------------------------------------------------------

const entry = join(request.folder, "__doors__.ts");
const modules = [...new Set(request.roots.map((root) => root.split(":")[0]))];
const source = modules.map((name, place) => `export * as m${place} from ${JSON.stringify(name)};`).join("\n");
const options = {
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"], skipLibCheck: true, strict: true, types: [],
  noEmit: true,
};
const host = ts.createCompilerHost(options);
const { getSourceFile, fileExists, readFile } = host;
host.getSourceFile = (name, ...rest) => name === entry
  ? ts.createSourceFile(name, source, options.target, true) : getSourceFile.call(host, name, ...rest);
host.fileExists = (name) => name === entry || fileExists.call(host, name);
host.readFile = (name) => (name === entry ? source : readFile.call(host, name));
host.getCurrentDirectory = () => request.folder;
const program = ts.createProgram([entry], options, host);
const checker = program.getTypeChecker();
const file = program.getSourceFile(entry);

/** The package in whose folder a symbol is declared. */
function packageOf(symbol) {
  const path = symbol?.declarations?.[0]?.getSourceFile().fileName ?? "";
  const inside = path.split("/node_modules/").at(-1);
  if (!path.includes("/node_modules/")) return "";
  const parts = inside.split("/");
  return parts[0].startsWith("@") ? `${parts[0]}/${parts[1]}` : parts[0];
}

const OWN = new Set(request.packages);
const isOwn = (symbol) => OWN.has(packageOf(symbol));

// --- types -----------------------------------------------------------------------------------------------------------

const nameOf = (type) => type.aliasSymbol?.name ?? type.symbol?.name ?? "";
const leading = new Map();

/** Whether a value of this type may hold something about tools. */
function leadsToTools(type) {
  if (leading.has(type)) return leading.get(type);
  const seen = new Set([type]);
  const queue = [[type, 0]];
  for (const [one, depth] of queue) {
    if (leading.get(one) || isAboutTools(nameOf(one)) || membersOf(one).some((name) => isAboutTools(name.name))) {
      leading.set(type, true);
      return true;
    }
    if (depth >= DEEPEST) continue;
    for (const inner of insideOf(one)) {
      if (!seen.has(inner)) {
        seen.add(inner);
        queue.push([inner, depth + 1]);
      }
    }
  }
  leading.set(type, false);
  return false;
}

/** The members of a record of the library's own: no class with methods, no list. */
function membersOf(type) {
  if (!(type.flags & ts.TypeFlags.Object) || type.getCallSignatures().length || isClass(type)) return [];
  if (checker.isArrayType(type) || checker.isTupleType(type)) return [];
  const symbol = type.aliasSymbol ?? type.symbol;
  return symbol && isOwn(symbol) ? checker.getPropertiesOfType(type).slice(0, 200) : [];
}

function insideOf(type) {
  if (type.isUnionOrIntersection()) return type.types;
  const given = [...(checker.getTypeArguments?.(type) ?? []), ...(type.aliasTypeArguments ?? [])];
  return [...given, ...membersOf(type).map((one) => checker.getTypeOfSymbol(one))];
}

const isClass = (type) => Boolean(type.symbol && type.symbol.flags & ts.SymbolFlags.Class);

/** What a promise brings, and what waits for several. */
function awaited(type) {
  if (["Promise", "PromiseLike", "APIPromise"].includes(nameOf(type))) {
    return awaited(checker.getTypeArguments(type)[0] ?? type);
  }
  return type;
}

const branches = (type) => (type.isUnion() ? type.types : [type]);
const absent = (type) => type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null);

function text(type) {
  const { UseAliasDefinedOutsideCurrentScope } = ts.TypeFormatFlags;
  const said = checker.typeToString(type, file, UseAliasDefinedOutsideCurrentScope);
  return said.replace(/import\("[^"]*"\)\./g, "").replace(/\s+/g, " ");
}

// --- methods ---------------------------------------------------------------------------------------------------------

const found = new Map();
const coming = [];
const seen = new Set();

/** A function or a method, if it is about tools. `at` is what two ways to the same method have in common. */
function keep(name, at, signatures, given) {
  if (found.has(at)) return;
  const parameters = new Map();
  const outputs = new Map();
  for (const signature of signatures) {
    signature.getParameters().forEach((parameter, place) => {
      for (const one of parametersOf(parameter, place)) if (!parameters.has(one.name)) parameters.set(one.name, one);
    });
    for (const branch of branches(awaited(signature.getReturnType()))) outputs.set(text(branch), branch);
  }
  const about = [...parameters.values()].filter((one) => isAboutTools(one.name) || leadsToTools(one.form));
  const leads = [...outputs.values()].some(leadsToTools);
  if (!about.length && name !== request.first && !(given && leads)) return;
  const deprecated = allDeprecated(signatures);
  found.set(at, {
    name, at, outputs: [], deprecated,
    parameters: about.map(({ name, form, place, deprecated }) => (
      { name, type: text(form), place, deprecated, options: [] })),
  });
  if (!deprecated) {
    for (const form of outputs.values()) {
      if (form.symbol && isOwn(form.symbol) && !isData(form)) coming.push([nameOf(form), form, true]);
    }
  }
}

/** What a parameter asks for: itself, or the members of an object that is written where the method is called. */
function parametersOf(parameter, place) {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
  const forms = branches(type).filter((one) => !absent(one));
  const opened = !isAboutTools(parameter.name) && forms.every((one) => !isAboutTools(nameOf(one))
    && one.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection) && !isClass(one) && !checker.isArrayType(one)
    && !one.getCallSignatures().length && !one.getStringIndexType());
  if (!opened || !forms.length) return [{ name: parameter.name, form: type, place }];
  const members = new Map();
  for (const form of forms) {
    for (const member of checker.getPropertiesOfType(form)) {
      const of = checker.getNonNullableType(checker.getTypeOfSymbol(member));
      if (members.has(member.name)) continue;
      members.set(member.name, { name: member.name, form: of, place: null, deprecated: deprecation(member) });
    }
  }
  return [...members.values()];
}

/** What the library itself says of what is deprecated. */
function deprecation(symbol) {
  return saidIn(symbol?.getJsDocTags(checker) ?? []);
}

/** The same of a method: each of its signatures is. */
function allDeprecated(signatures) {
  const said = signatures.map((one) => saidIn(one.getJsDocTags()));
  return said.every(Boolean) ? said[0] : null;
}

function saidIn(tags) {
  const tag = tags.find((one) => one.name === "deprecated");
  return tag ? (ts.displayPartsToString(tag.text) || "deprecated").split("\n")[0] : null;
}

/** Whether a type is data: no methods of its own. */
function isData(type) {
  return !checker.getPropertiesOfType(type).some((one) =>
    checker.getTypeOfSymbol(one).getCallSignatures().length && isOwn(one));
}

/** The class that declares a member. */
function holderOf(symbol, fallback) {
  const parent = symbol.declarations?.[0]?.parent;
  return parent?.name?.text ?? fallback;
}

/** Whether the language calls a method: that of an iterator, which `for await` goes through. */
const isOfTheLanguage = (member, type) => ["next", "return", "throw"].includes(member.name)
  && checker.getPropertiesOfType(type).some((one) => /^__@(asyncI|i)terator/.test(one.escapedName));

const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

/** Look into an object that is reached. */
function look(path, type, given) {
  for (const member of checker.getPropertiesOfType(type)) {
    if (member.name.startsWith("_") || member.name.startsWith("#") || !isOwn(member)) continue;
    if (isOfTheLanguage(member, type)) continue;
    if (ts.getCombinedModifierFlags(member.declarations[0]) & HIDDEN) continue;
    const form = checker.getNonNullableType(checker.getTypeOfSymbol(member));
    const signatures = form.getCallSignatures();
    const at = `${holderOf(member, path)}.${member.name}`;
    if (signatures.length) keep(`${path}.${member.name}`, at, signatures, given);
    if (!signatures.length && form.symbol && isOwn(form.symbol) && !isData(form)) coming.push([`${path}.${member.name}`, form, false]);
  }
}

/** Walk from what users meet: a class, a function, or an object. */
function root(spec) {
  const [home, path] = spec.split(":");
  const place = modules.indexOf(home);
  const space = checker.getExportsOfModule(checker.getSymbolAtLocation(file)).find((one) => one.name === `m${place}`);
  const resolved = checker.getAliasedSymbol(space);
  let symbol = checker.getExportsOfModule(resolved).find((one) => one.name === path);
  if (!symbol) throw new Error(`${home} has no ${path}`);
  if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  const type = checker.getTypeOfSymbol(symbol);
  if (symbol.flags & ts.SymbolFlags.Class) {
    keep(`${path}()`, `${path}()`, type.getConstructSignatures(), false);
    coming.push([path, checker.getDeclaredTypeOfSymbol(symbol), false]);
  } else if (type.getCallSignatures().length) {
    keep(path, path, type.getCallSignatures(), false);
  } else {
    coming.push([path, type, false]);
  }
}

request.roots.forEach(root);
for (const [path, type, given] of coming) {
  const mark = `${type.id}/${given}`;
  if (!seen.has(mark) && seen.size < 400) {
    seen.add(mark);
    look(path, type, given);
  }
}
const methods = [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
console.log(JSON.stringify({ methods, providers: null }));
