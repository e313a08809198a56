const path = require('path');

/** @type {import('@docusaurus/types').Config} */
const config = {
  title: 'Site', url: 'https://docs.example.org', baseUrl: '/base/',
  onBrokenLinks: 'warn', onBrokenMarkdownLinks: 'warn',
  i18n: {defaultLocale: 'en', locales: ['en', 'fr']},
  presets: [['classic', /** @type {any} */ ({
    docs: {path: '../docs', routeBasePath: 'docs', sidebarPath: path.resolve(__dirname, './sidebars.js')},
    blog: {path: 'news', routeBasePath: 'news'},
  })]],
  plugins: [
    ['@docusaurus/plugin-content-docs', {id: 'api', path: 'api', routeBasePath: '/api', sidebarPath: false}],
  ],
};
module.exports = config;
