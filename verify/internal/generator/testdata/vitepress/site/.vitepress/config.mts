import { defineConfig } from 'vitepress'

export default defineConfig({
  title: 'Site',
  srcDir: './src',
  base: '/base/',
  cleanUrls: true,
  srcExclude: ['drafts/**'],
  rewrites: { 'packages/:name/README.md': 'pkg/:name/index.md', 'old.md': 'renamed.md' },
  ignoreDeadLinks: ['/known-dead', /^\.\/generated\//],
  themeConfig: { nav: [{ text: 'Guide', link: '/guide/' }] }
})
