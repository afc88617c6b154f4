// Modules of doors as text: what a program takes from them. They are loaded as they are written, not compiled, so that
// what runs is what a program prints.

/** What stands between the braces of an import - `name`, or `name as other` - and the module behind it. */
interface Import {
  clause: string;
  module: string;
}

const IMPORT = /^(?:import|export) \{([^}]+)\} from "([^"]+)";$/gm;

/** A module of doors: functions of ours around a library's calls, and what it hands on of the library itself. */
export class DoorModule {
  #imports = new Map<string, Import>();
  #functions = new Map<string, string>();

  /** `text` is the module's source, `members` what it exports. */
  constructor(text: string, members: { [name: string]: any }) {
    for (const [, clauses, module] of text.matchAll(IMPORT)) {
      for (const clause of clauses!.split(",").map((one) => one.trim()).filter(Boolean)) {
        this.#imports.set(clause.split(" as ").at(-1)!, { clause, module: module! });
      }
    }
    for (const [name, member] of Object.entries(members)) {
      if (!this.#imports.has(name)) this.#functions.set(name, String(member));
    }
  }

  /** What a name needs: functions, the inner ones before those that call them, and imports. */
  *needs(name: string, above: string[] = []): Generator<{ definition: string } | Import> {
    const definition = this.#functions.get(name);
    if (definition === undefined) {
      if (this.#imports.has(name)) yield this.#imports.get(name)!;
    } else if (!above.includes(name)) {
      for (const word of words(definition)) yield* this.needs(word, [...above, name]);
      yield { definition };
    }
  }
}

/** The words of a source that may be names: what stands in quotes is none, nor are members of objects. */
function words(text: string): Set<string> {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return new Set(Array.from(bare.matchAll(/(?<![\w$]|(?<!\.\.)\.)[A-Za-z_$][\w$]*/g), ([word]) => word));
}

/** The declarations of some imports, one for a module. */
export function importLines(imports: Iterable<Import>): string[] {
  const clauses = new Map<string, Set<string>>();
  for (const { clause, module } of imports) clauses.set(module, (clauses.get(module) ?? new Set()).add(clause));
  return [...clauses].sort().map(([module, all]) => `import { ${[...all].sort().join(", ")} } from "${module}";`);
}
