export default { markdown: { anchor: { slugify: (s) => s } } }
