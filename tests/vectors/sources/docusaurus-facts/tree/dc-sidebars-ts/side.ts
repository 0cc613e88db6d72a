const sidebars: SidebarsConfig = {
  a: [{type: 'category', label: 'One Two', link: {type: 'generated-index', title: 'x'}, items: ['a']}],
};
export default sidebars;
