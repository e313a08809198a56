// Finds URLs with linkify-it, or with the GFM autolinks of mdast and micromark.
//
// node extract.mjs TOOL SETTING text FILE     writes the URLs of a text file, one a line
// node extract.mjs TOOL SETTING cases FILE    reads lines of texts as JSON strings, and writes the URLs of each as a JSON array
//
// TOOL is linkify-it or gfm. SETTING is default, or for linkify-it also schemes: only URLs with a scheme.
// LOCUS_RIVALS is the folder with the packages.
import { readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(process.env.LOCUS_RIVALS + '/node/package.json')
// load imports a package that may be CommonJS or only for import.
const load = async (name) => {
  try {
    return await import(pathToFileURL(require.resolve(name)))
  } catch {
    return import(new URL(`node_modules/${name}/index.js`, pathToFileURL(process.env.LOCUS_RIVALS + '/node/')))
  }
}

const [tool, setting, mode, file] = process.argv.slice(2)

async function linkifyIt() {
  const { LinkifyIt } = await load('linkify-it')
  const finder = new LinkifyIt(setting === 'schemes' ? { fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false } : {})
  // raw is the URL as the text has it; a name without a scheme stays so.
  return (text) => (finder.match(text) || []).map((m) => m.raw)
}

async function gfm() {
  const { fromMarkdown } = await load('mdast-util-from-markdown')
  const { gfmAutolinkLiteral } = await load('micromark-extension-gfm-autolink-literal')
  const { gfmAutolinkLiteralFromMarkdown } = await load('mdast-util-gfm-autolink-literal')
  return (text) => {
    const found = []
    const walk = (node) => {
      if (node.type === 'link' || node.type === 'definition' || node.type === 'image') found.push(node.url)
      for (const child of node.children || []) walk(child)
    }
    walk(fromMarkdown(text, { extensions: [gfmAutolinkLiteral()], mdastExtensions: [gfmAutolinkLiteralFromMarkdown()] }))
    return found
  }
}

const find = await (tool === 'gfm' ? gfm() : linkifyIt())
const text = readFileSync(file, 'utf8')
const lines = mode === 'text' ? find(text) : text.split('\n').filter(Boolean).map((line) => JSON.stringify(find(JSON.parse(line))))
const out = Buffer.from(lines.map((line) => line + '\n').join(''))
for (let at = 0; at < out.length; ) at += writeSync(1, out, at)
