module.exports = {s: [{type: 'category', label: 'X', link: {type: 'generated-index', slug: '/all'}, items: ['a']}, {type: 'category', label: 'Y', link: {type: 'doc', id: 'a'}, items: []}]};
