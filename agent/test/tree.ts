import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder with these files; a content that begins with `-> ` is a link to a path in the folder. Returns its path. */
export function tree(files: Record<string, string | Buffer>): string {
  const root = mkdtempSync(join(tmpdir(), 'vedette-tree-'))
  addTo(root, files)
  return root
}

export function addTo(root: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    if (typeof content === 'string' && content.startsWith('-> ')) symlinkSync(join(root, content.slice(3)), join(root, path))
    else writeFileSync(join(root, path), content)
  }
}
